"""BPMN files to models and back: names and tables, reader, writer, the ways of vendors.

No running, no pictures, no layout.
"""

from bpmnsim.xml.reader import read_bpmn
from bpmnsim.xml.writer import write_bpmn

__all__ = ["read_bpmn", "write_bpmn"]
