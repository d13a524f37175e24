"""What the intervals of a monitor promise, in words."""

from __future__ import annotations

from sidelight.monitor.settings import Settings


def guarantee(settings: Settings) -> str:
    """Say what the intervals promise, with the settings as they are."""
    percent = f"{100 * settings.confidence:g} %"
    each = f"Each interval holds the error rate of its class at all times at once with {percent} confidence"
    if settings.together:
        each = f"The intervals of all classes hold their error rates at all times at once with {percent} confidence"
    if settings.reviewer_error:
        each += f", if reviewers err in at most {100 * settings.reviewer_error:g} % of cases each way"
    if settings.window is not None:
        return (
            f"Each interval rests on the last {settings.window} answers of its class: at any one moment it holds the "
            f"error rate of that stretch with at least {percent} confidence, if the rate did not change within it; "
            "not at all moments at once, for old answers drop out."
        )
    if settings.drift:
        alpha = f"(k + 1) x {100 * (1 - settings.confidence):.4g} %"
        chance = f"after k restarts the chance that any verdict on the class was wrong is at most {alpha}"
        if settings.together:
            chance = f"with at most k restarts of each class the chance that any verdict was wrong is at most {alpha}"
        return f"{each}, counted anew from each restart and as long as the rate does not change: {chance}."
    return f"{each}, as long as the rate does not change and whether an answer comes does not depend on what it says."
