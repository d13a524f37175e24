"""
A classifier that gets worse
============================

After a change of its input, one class is wrong more often. The monitor notices and starts that class from scratch.
"""

# %%
# "letter" is fine for 6 000 predictions and then wrong in a quarter of cases. Its verdict was certain, so it is only
# looked at in spot checks; these raise the alarm.

import random

import matplotlib.pyplot as plt

import sidelight as sl

draws = random.Random(4)
monitor = sl.ClassifierMonitor(tolerance=0.05, confidence=0.95)
names = ["invoice", "letter"]
times, rates = [], []
for n in range(20_000):
    predicted = draws.choice(names)
    rate = 0.25 if predicted == "letter" and n >= 6_000 else 0.01
    if monitor.decide(predicted, id=n).verify:
        monitor.answer(n, correct=draws.random() >= rate)
    if n % 100 == 99:
        one = monitor.report()["letter"]
        times.append(n + 1)
        rates.append(one.interval)

for event in monitor.history():
    print(f"after {event.decision:6} predictions: {event.prediction}: {event.text}")

# %%
# The interval of "letter" over time: narrow, then reopened by the alarm, then around the new rate.

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
axes.fill_between(times, [low for low, _ in rates], [high for _, high in rates], alpha=0.35, label="95 % interval")
axes.plot([0, 6_000, 6_000, 20_000], [0.01, 0.01, 0.25, 0.25], color="black", linewidth=1, label="true error rate")
axes.axhline(0.05, color="gray", linestyle="--", linewidth=1, label="tolerance")
axes.set(xlabel="predictions", ylabel="error rate of letter", ylim=(0, 1))
axes.legend(frameon=False)
plt.show()
