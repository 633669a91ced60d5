using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// The options of the start: those of the monitor, which the host validates before it starts. By default
/// <see cref="IOptions{TOptions}"/> would read and check all settings a second time.
/// </summary>
internal sealed class StartOptions(IOptionsMonitor<NumaOptions> monitor) : IOptions<NumaOptions>
{
    private NumaOptions? _value;

    // The monitor's options may change once the application has registered a change token source.
    public NumaOptions Value => Volatile.Read(ref _value) ?? Take(monitor.CurrentValue);

    private NumaOptions Take(NumaOptions value) => Interlocked.CompareExchange(ref _value, value, null) ?? value;
}
