using System.Runtime.InteropServices;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>Passes the signals that we get on to the children; none of them ends us.</summary>
internal sealed class ForwardedSignals : IDisposable
{
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ForwardedSignals(Supervisor supervisor, bool hasTerminal)
    {
        // Those that a terminal sends, it sends to all that runs on it.
        Register(ProcessCalls.SIGINT, signal => supervisor.Stop(signal, toGroups: true));
        Register(ProcessCalls.SIGQUIT, signal => supervisor.Stop(signal, toGroups: true));
        Register(ProcessCalls.SIGTERM, signal => supervisor.Stop(signal));

        // The end of the terminal is the end of what runs on it; to a service it means to read its files again.
        Register(ProcessCalls.SIGHUP, hasTerminal
            ? signal => supervisor.Stop(signal, toGroups: true)
            : signal => supervisor.Forward(signal));
        Register(ProcessCalls.SIGUSR1, signal => supervisor.Forward(signal));
        Register(ProcessCalls.SIGUSR2, signal => supervisor.Forward(signal));

        // Ctrl-Z and fg: the children first, then we.
        Register(ProcessCalls.SIGTSTP, signal =>
        {
            supervisor.Forward(signal, toGroups: true);
            _ = ProcessCalls.Kill(Environment.ProcessId, ProcessCalls.SIGSTOP);
        });
        Register(ProcessCalls.SIGCONT, signal => supervisor.Forward(signal, toGroups: true));
    }

    public void Dispose() => _registrations.ForEach(static registration => registration.Dispose());

    // Numbers as the kernel has them: PosixSignal has names for some, and takes any.
    private void Register(int signal, Action<int> action) =>
        _registrations.Add(PosixSignalRegistration.Create((PosixSignal)signal, context =>
        {
            context.Cancel = true;
            action(signal);
        }));
}
