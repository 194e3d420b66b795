"""Has the machines of a Ray cluster read an archive of recordings with framegrep.

`framegrep index plan` says what there is to read, this has it read, and `framegrep index merge` puts the results together. What
a unit is, and why it may be read twice or be killed at any moment, is framegrep's matter; this only asks for each unit until it is
there.
"""

from .archive import Progress, Report, Settings, UnitFailed, read_archive
from .plan import Unit, read_plan

__all__ = ["Progress", "Report", "Settings", "Unit", "UnitFailed", "read_archive", "read_plan"]
