"""Read TensorBoard's events."""

from pathlib import Path


def read_events(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """The scalars in a folder of events, by tag: (step, value) of each."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    return {tag: [(each.step, each.value) for each in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
