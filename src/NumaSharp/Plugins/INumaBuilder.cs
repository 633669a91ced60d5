using Microsoft.Extensions.DependencyInjection;

namespace NumaSharp.Core;

/// <summary>
/// The result of <c>AddNuma()</c>, where platform plugins register. A plugin extends this type and references only this assembly.
/// </summary>
public interface INumaBuilder
{
    /// <summary>The services of the application.</summary>
    IServiceCollection Services { get; }
}
