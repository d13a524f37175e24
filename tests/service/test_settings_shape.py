import inspect

from sidelight.monitor import ClassifierMonitor
from sidelight.service import settings_shape
from sidelight.service.settings import ReviewSettings


def test_every_setting_is_described():
    known = set(inspect.signature(ClassifierMonitor.__init__).parameters)
    known -= {"self", "remember_passes", "parameters"}
    assert set(settings_shape.MONITOR) == known
    assert set(settings_shape.QUEUE) == set(inspect.signature(ReviewSettings).parameters)
