using Microsoft.Extensions.DependencyInjection;

namespace NumaSharp.Core;

/// <summary>
/// What <c>AddNuma()</c> returns: the place where platform plugins register. A plugin extends this type and references
/// nothing but this assembly.
/// </summary>
public interface INumaBuilder
{
    /// <summary>The services of the application.</summary>
    IServiceCollection Services { get; }
}
