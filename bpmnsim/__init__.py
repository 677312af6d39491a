"""bpmnsim."""
