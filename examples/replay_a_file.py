"""
What would it have cost?
========================

Replay labeled predictions of the past, and see how many verifications each policy would have needed.
"""

# %%
# A file of last month: what the classifier said, and what was right. This one is made up.

import csv
import random
from pathlib import Path
from tempfile import mkdtemp

import sidelight as sl
from sidelight.monitor.replays.page import draw_replay_figure

draws = random.Random(0)
rates = {"invoice": 0.01, "contract": 0.04, "letter": 0.15, "receipt": 0.02}
path = Path(mkdtemp()) / "last-month.csv"
with path.open("w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["predicted", "label"])
    for _ in range(4_000):
        predicted = draws.choice(list(rates))
        rows.writerow([predicted, "other" if draws.random() < rates[predicted] else predicted])

# %%
# On the command line this is
# ``sidelight monitor replay last-month.csv --prediction predicted --truth label --tolerance 0.05``. In Python:

with path.open(newline="") as file:
    table = list(csv.DictReader(file))
done = sl.monitor.replay([row["predicted"] for row in table], [row["label"] for row in table], tolerance=0.05)
for one in done.policies:
    print(f"{one.title:12} {one.verifications:5} labels, {one.right} right, {one.wrong} wrong, {one.unknown} unknown")

# %%
# How the estimates of the default policy came about:

figure = draw_replay_figure(done, "sequential")
