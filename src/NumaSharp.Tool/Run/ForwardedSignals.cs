using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>Passes the signals that we get on to the children; none of them ends us.</summary>
internal sealed class ForwardedSignals : IDisposable
{
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ForwardedSignals(Supervisor supervisor, bool hasTerminal)
    {
        // Those that a terminal sends, it sends to all that runs on it.
        Register(Native.SIGINT, signal => supervisor.Stop(signal, toGroups: true));
        Register(Native.SIGQUIT, signal => supervisor.Stop(signal, toGroups: true));
        Register(Native.SIGTERM, signal => supervisor.Stop(signal));

        // The end of the terminal is the end of what runs on it; to a service it means to read its files again.
        Register(Native.SIGHUP, hasTerminal
            ? signal => supervisor.Stop(signal, toGroups: true)
            : signal => supervisor.Forward(signal));
        Register(Native.SIGUSR1, signal => supervisor.Forward(signal));
        Register(Native.SIGUSR2, signal => supervisor.Forward(signal));

        // Ctrl-Z and fg: the children first, then we.
        Register(Native.SIGTSTP, signal =>
        {
            supervisor.Forward(signal, toGroups: true);
            _ = Native.Kill(Environment.ProcessId, Native.SIGSTOP);
        });
        Register(Native.SIGCONT, signal => supervisor.Forward(signal, toGroups: true));
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
