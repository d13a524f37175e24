"""What the intervals of a monitor guarantee, in words."""

from __future__ import annotations

from sidelight.monitor.settings import Settings


def guarantee(settings: Settings, late: bool) -> str:
    """Describe what the intervals guarantee; `late` says that overdue answers changed earlier counts.

    An overdue answer changes the path of the counts from its place on, so Ville's inequality holds for the path as it
    is at any one moment, not for all paths that were ever shown together.
    """
    when = "at any one moment" if late else "at all times at once"
    percent = f"{100 * settings.confidence:g} %"
    if settings.window is not None:
        return (
            f"Each interval rests on the last {settings.window} answers of its class. With at least {percent} "
            "confidence it contains, at any one moment, the error rate of that stretch, if the rate did not change "
            "within it; not at all moments at once, because old answers drop out."
        )
    each = f"With {percent} confidence, each interval contains the error rate of its class {when}"
    if settings.together:
        each = f"With {percent} confidence, the intervals of all classes contain their error rates {when}"
    if settings.reviewer_error:
        each += f", if reviewers err in at most {100 * settings.reviewer_error:g} % of cases each way"
    fair = "as long as the rate does not change and whether an answer comes in time does not depend on what it says"
    if not settings.drift:
        return f"{each}. This holds {fair}."
    text = f"{each}. This holds from each restart on, {fair}."
    if late:
        return text
    alpha = f"(k + 1) x {100 * (1 - settings.confidence):.4g} %"
    if settings.together:
        return (
            f"{text} With at most k restarts of each class, the chance that any verdict was wrong is at most {alpha}."
        )
    return f"{text} After k restarts, the chance that any verdict on the class was wrong is at most {alpha}."
