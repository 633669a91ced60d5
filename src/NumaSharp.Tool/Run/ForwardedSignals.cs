using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>Passes the signals that we get on to the children; none of them ends us.</summary>
internal sealed class ForwardedSignals : IDisposable
{
    private readonly List<PosixSignalRegistration> _registrations = [];

    public ForwardedSignals(Supervisor supervisor, bool hasTerminal)
    {
        Register(Native.SIGINT, supervisor.Stop);
        Register(Native.SIGTERM, supervisor.Stop);
        Register(Native.SIGQUIT, supervisor.Stop);

        // The end of the terminal is the end of what runs on it; to a service it means to read its files again.
        Register(Native.SIGHUP, hasTerminal ? supervisor.Stop : supervisor.Forward);
        Register(Native.SIGUSR1, supervisor.Forward);
        Register(Native.SIGUSR2, supervisor.Forward);

        // Ctrl-Z and fg: the children first, then we.
        Register(Native.SIGTSTP, signal =>
        {
            supervisor.Forward(signal);
            _ = Native.Kill(Environment.ProcessId, Native.SIGSTOP);
        });
        Register(Native.SIGCONT, supervisor.Forward);
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
