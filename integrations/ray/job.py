"""For `ray job submit`: reads the archive whose plan is named, on the cluster that it is submitted to.

    ray job submit --working-dir integrations/ray -- python job.py /shared/units.jsonl --out /shared/results --index /var/lib/index
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "src"))
# The tasks' own processes find it too.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], os.environ.get("PYTHONPATH", "")]))

from framegrep_ray.__main__ import main  # noqa: E402

sys.exit(main())
