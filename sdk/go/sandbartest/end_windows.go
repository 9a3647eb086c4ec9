package sandbartest

import "os"

// controlCExit is STATUS_CONTROL_C_EXIT, with which Windows ends a process after Ctrl+C. A process cannot send itself that event alone.
const controlCExit = -0x3ffffec6

// endProcess ends the process as Ctrl+C does.
func endProcess(os.Signal) {
	os.Exit(controlCExit)
}
