using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

internal sealed class NumaBuilder(IServiceCollection services) : INumaBuilder
{
    public IServiceCollection Services { get; } = services;
}
