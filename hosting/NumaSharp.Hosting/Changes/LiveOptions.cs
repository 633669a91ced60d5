using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Changes;

/// <summary>
/// The options as they are now: those of the start until the configuration changes. For what may change at run time, and for what
/// is made later than the start.
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
