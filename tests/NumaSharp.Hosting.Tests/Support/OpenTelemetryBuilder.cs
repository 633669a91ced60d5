using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>Providers among an application's own services.</summary>
internal sealed class OpenTelemetryBuilder(IServiceCollection services) : IOpenTelemetryBuilder
{
    public IServiceCollection Services { get; } = services;
}
