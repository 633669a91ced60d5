using System.Runtime.InteropServices;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>Forwards received signals to the children; none of them ends this process.</summary>
internal sealed class ForwardedSignals : IDisposable
{
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ForwardedSignals(Supervisor supervisor, bool hasTerminal)
    {
        // A terminal sends these to all processes running on it.
        Register(ProcessCalls.SIGINT, signal => supervisor.Stop(signal, toGroups: true));
        Register(ProcessCalls.SIGQUIT, signal => supervisor.Stop(signal, toGroups: true));
        Register(ProcessCalls.SIGTERM, signal => supervisor.Stop(signal));

        // The end of a terminal ends the processes on it; a service rereads its files on SIGHUP.
        Register(ProcessCalls.SIGHUP, hasTerminal
            ? signal => supervisor.Stop(signal, toGroups: true)
            : signal => supervisor.Forward(signal));
        Register(ProcessCalls.SIGUSR1, signal => supervisor.Forward(signal));
        Register(ProcessCalls.SIGUSR2, signal => supervisor.Forward(signal));

        // Ctrl-Z and fg: first the children, then this process.
        Register(ProcessCalls.SIGTSTP, signal =>
        {
            supervisor.Forward(signal, toGroups: true);
            _ = ProcessCalls.Kill(Environment.ProcessId, ProcessCalls.SIGSTOP);
        });
        Register(ProcessCalls.SIGCONT, signal => supervisor.Forward(signal, toGroups: true));
    }

    public void Dispose() => _registrations.ForEach(static registration => registration.Dispose());

    // The kernel's numbers: PosixSignal names some of them, and takes any.
    private void Register(int signal, Action<int> action) =>
        _registrations.Add(PosixSignalRegistration.Create((PosixSignal)signal, context =>
        {
            context.Cancel = true;
            action(signal);
        }));
}
