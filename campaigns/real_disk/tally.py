"""What a part of the campaign did, and what it found."""

import sys
from dataclasses import dataclass, field

SHOWN = 40


@dataclass
class Tally:
    """Counts of what was done, and each broken promise in a line."""

    counts: dict[str, int] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, what: str, by: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + by

    def merge(self, other: "Tally") -> None:
        for what, by in other.counts.items():
            self.count(what, by)
        self.violations += other.violations
        self.notes += other.notes

    def report(self, name: str, seconds: float) -> None:
        done = ", ".join(f"{by} {what}" for what, by in self.counts.items())
        print(f"{name}: {done}; {seconds:.0f} s; violations: {len(self.violations)}")
        for line in self.violations[:SHOWN]:
            print(f"  VIOLATION {line}")
        if len(self.violations) > SHOWN:
            print(f"  and {len(self.violations) - SHOWN} more")
        for line in sorted(set(self.notes))[:SHOWN]:
            print(f"  note: {line}")
        sys.stdout.flush()
