from __future__ import annotations

import sys
from pathlib import Path

# tiny_models.py lies beside this file; this finds it in every import mode of pytest.
sys.path.insert(0, str(Path(__file__).parent))
