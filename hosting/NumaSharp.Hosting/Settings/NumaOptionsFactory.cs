using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Settings;

/// <summary>The stock factory; converts failures into an exception that ends a start in an orderly way.</summary>
internal sealed class NumaOptionsFactory(
    IServiceProvider services,
    IEnumerable<IConfigureOptions<NumaOptions>> setups,
    IEnumerable<IPostConfigureOptions<NumaOptions>> postConfigures,
    IEnumerable<IValidateOptions<NumaOptions>> validations)
    : IOptionsFactory<NumaOptions>
{
    private readonly OptionsFactory<NumaOptions> _inner = new(setups, postConfigures, validations);

    public NumaOptions Create(string name)
    {
        try
        {
            return _inner.Create(name);
        }
        catch (OptionsValidationException exception)
        {
            throw RefusedStart.Because(services, exception.Failures);
        }
    }
}

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

/// <summary>Fills the options from configuration; unreadable values are left to the validation.</summary>
internal sealed class NumaOptionsBinding(NumaSection section) : IConfigureOptions<NumaOptions>
{
    public void Configure(NumaOptions options) => options.Unread = section.Bind(options);
}
