using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// The options of the start, which are those that the host validates before it starts: that asks the monitor. By itself
/// <see cref="IOptions{TOptions}"/> would read and check all settings a second time.
/// </summary>
internal sealed class StartOptions(IOptionsMonitor<NumaOptions> monitor) : IOptions<NumaOptions>
{
    private NumaOptions? _value;

    // The monitor's may be others once the application has registered what tells it of changes.
    public NumaOptions Value => Volatile.Read(ref _value) ?? Take(monitor.CurrentValue);

    private NumaOptions Take(NumaOptions value) => Interlocked.CompareExchange(ref _value, value, null) ?? value;
}
