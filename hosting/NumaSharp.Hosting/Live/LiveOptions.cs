using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Changes;

/// <summary>
/// The current options: those of the start until the configuration changes. For settings that may change at run time, and for
/// objects created after the start.
/// </summary>
internal sealed class LiveOptions(IOptions<NumaOptions> start)
{
    private NumaOptions? _changed;

    public NumaOptions Value
    {
        get => Volatile.Read(ref _changed) ?? start.Value;
        set => Volatile.Write(ref _changed, value);
    }
}
