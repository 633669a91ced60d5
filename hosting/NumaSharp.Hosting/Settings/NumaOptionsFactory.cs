using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Configuration;

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
