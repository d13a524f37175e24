"""
Thirty labels a day
===================

With a daily cap, labels go where a verdict costs the fewest of them.
"""

# %%
# Twelve classes compete for thirty verifications a day. Some are far from the tolerance, some close to it.

import random
from datetime import datetime, timedelta

import sidelight as sl

draws = random.Random(0)
error_rates = [0.002, 0.005, 0.01, 0.02, 0.03, 0.045, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5]
rates = {f"class {k:2}": rate for k, rate in enumerate(error_rates)}
monitor = sl.ClassifierMonitor(tolerance=0.05, confidence=0.95, daily_cap=30)
start = datetime(2026, 1, 1)
for day in range(30):
    for n in range(600):
        predicted = draws.choice(list(rates))
        when = start + timedelta(days=day, seconds=100 * n)
        decision = monitor.decide(predicted, id=f"{day}-{n}", time=when)
        if decision.verify:
            monitor.answer(decision.id, correct=draws.random() >= rates[predicted])

report = monitor.report()
print(report)

# %%
# The classes close to the tolerance stay open: their verdicts would have cost the labels of all others.

figure = report.plot()
