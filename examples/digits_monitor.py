"""Watch a classifier of handwritten digits: which ones it gets wrong too often, and how many labels that takes.

    python examples/digits_monitor.py [--tolerance 0.05] [--confidence 0.95] [--figure digits.svg]

The data ship with scikit-learn. A decision tree predicts each of the 1 797 digits from a model that has not seen it
(five-fold cross-validation), and the predictions are replayed as a stream: the monitor asks for the truth of some of
them, and its verdicts are compared with the truth of all.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from sidelight.monitor import replay
from sidelight.monitor.replays.page import draw_replay_figure
from sidelight.report.figures.saving import save_figure


def digits(seed=0):
    """Return predicted and true digits, in random order."""
    images, truth = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(truth))
    model = DecisionTreeClassifier(random_state=seed)
    return cross_val_predict(model, images[order], truth[order], cv=5), truth[order]


def main(arguments=None):
    """Replay the digits and print what came of it; return the replay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tolerance", type=float, default=0.05)
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--figure", help="where to draw estimates and intervals over time")
    options = parser.parse_args(arguments)

    predicted, truth = digits()
    done = replay(predicted, truth, options.tolerance, confidence=options.confidence)

    print(f"{done.predictions} predictions, {np.mean(predicted != truth):.1%} of them wrong")
    print("policy         labels   saved  verdicts: right  wrong  unknown")
    for one in done.policies:
        saved = f"{done.saved_of_all(one):.1%}"
        print(f"{one.title:13} {one.verifications:7} {saved:>7} {one.right:16} {one.wrong:6} {one.unknown:8}")
    print(done["sequential"].report)
    if options.figure:
        save_figure(draw_replay_figure(done, "sequential"), options.figure)
    return done


if __name__ == "__main__":
    main()
