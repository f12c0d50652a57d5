"""What a part of the campaign did, and what it found."""

import sys
from dataclasses import dataclass, field

SHOWN = 8


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

    def _by_kind(self) -> dict[str, list[str]]:
        """The violations by what they begin with: a scenario, or a situation."""
        kinds: dict[str, list[str]] = {}
        for line in self.violations:
            kinds.setdefault(line.partition(",")[0].partition(":")[0], []).append(line)
        return kinds

    def report(self, name: str, seconds: float) -> None:
        done = ", ".join(f"{by} {what}" for what, by in self.counts.items())
        print(f"{name}: {done}; {seconds:.0f} s; violations: {len(self.violations)}")
        for kind, lines in self._by_kind().items():
            for line in lines[:SHOWN]:
                print(f"  VIOLATION {line}")
            if len(lines) > SHOWN:
                print(f"  and {len(lines) - SHOWN} more of {kind}")
        for line in sorted(set(self.notes)):
            print(f"  note: {line}")
        sys.stdout.flush()
