using System.Runtime.InteropServices;

namespace NumaSharp.Playground.Benchmarks.Processes;

/// <summary>
/// Adds SIGHUP (the terminal is gone) and SIGQUIT to the signals that cancel; the command line handles SIGINT and SIGTERM.
/// By default both end the process at once and would leave its servers behind.
/// </summary>
internal sealed class HangUpSignals : IDisposable
{
    private readonly CancellationTokenSource _source;
    private readonly PosixSignalRegistration[] _registrations;

    public HangUpSignals(CancellationToken cancellation)
    {
        _source = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        _registrations = [Register(PosixSignal.SIGHUP), Register(PosixSignal.SIGQUIT)];
    }

    public CancellationToken Token => _source.Token;

    public void Dispose()
    {
        foreach (var registration in _registrations)
        {
            registration.Dispose();
        }

        _source.Dispose();
    }

    private PosixSignalRegistration Register(PosixSignal signal) =>
        PosixSignalRegistration.Create(signal, context =>
        {
            context.Cancel = true;
            _source.Cancel();
        });
}
