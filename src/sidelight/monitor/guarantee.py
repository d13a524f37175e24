"""What the intervals of a monitor guarantee, in words."""

from __future__ import annotations

from sidelight.monitor.settings import Settings


def guarantee(settings: Settings, late: bool) -> str:
    """Say what the intervals guarantee under these settings; `late` says that overdue answers changed earlier counts.

    An overdue answer changes the path of the counts from its place on, so Ville's inequality holds for the path as it
    is at any one moment, not for all paths that were ever shown together.
    """
    when = "at any one moment" if late else "at all times at once"
    percent = f"{100 * settings.confidence:g} %"
    each = f"Each interval holds the error rate of its class {when} with {percent} confidence"
    if settings.together:
        each = f"The intervals of all classes hold their error rates {when} with {percent} confidence"
    if settings.reviewer_error:
        each += f", if reviewers err in at most {100 * settings.reviewer_error:g} % of cases each way"
    if settings.window is not None:
        return (
            f"Each interval rests on the last {settings.window} answers of its class: at any one moment it holds the "
            f"error rate of that stretch with at least {percent} confidence, if the rate did not change within it; not "
            "at all moments at once, because old answers drop out."
        )
    fair = "as long as the rate does not change and whether an answer comes in time does not depend on what it says"
    if not settings.drift:
        return f"{each}, {fair}."
    text = f"{each}, counted anew from each restart and {fair}"
    if late:
        return f"{text}."
    alpha = f"(k + 1) x {100 * (1 - settings.confidence):.4g} %"
    chance = f"after k restarts the chance that any verdict on the class was wrong is at most {alpha}"
    if settings.together:
        chance = f"with at most k restarts of each class the chance that any verdict was wrong is at most {alpha}"
    return f"{text}: {chance}."
