"""
Proofs that fit on a line
=========================

Every yes or no of the analysis carries a certificate in exact arithmetic, which you can check yourself.
"""

# %%
# In this game the third action is worse than the other two together, by one part in a billion. Floating point would not
# be sure; the certificate is a mixture of the others that costs less at every outcome.

from fractions import Fraction

import matplotlib.pyplot as plt

import sidelight as sl

game = sl.Game(
    loss=[[0, 1], [1, 0], ["0.500000001", "0.500000001"]],
    feedback=[["a", "b"], ["c", "c"], ["d", "d"]],
)
analysis = sl.analyze(game)
print(analysis.dominated)
print(analysis.explain())

# %%
# Check it with a few sums: half of the first plus half of the second costs 1/2 at either outcome.

mixture = [Fraction(1, 2), Fraction(1, 2), 0]
for outcome in range(2):
    cost = sum(weight * row[outcome] for weight, row in zip(mixture, game.loss, strict=True))
    print(f"outcome {outcome}: the mixture costs {cost}, the action {game.loss[2][outcome]}")

# %%
# On a line of laws each action's expected loss is a straight line, and the lowest one wins. From above, the third
# cannot be told from a tie.

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for action, row in enumerate(game.loss):
    axes.plot([0, 1], [float(row[1]), float(row[0])], label=f"action {action}")
axes.set(xlabel="probability of the first outcome", ylabel="expected loss")
axes.legend(frameon=False)
plt.show()
