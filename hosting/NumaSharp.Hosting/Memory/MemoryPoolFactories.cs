using System.Buffers;
using System.Diagnostics;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;

namespace NumaSharp.Hosting.Memory;

/// <summary>
/// Finds the origin of an <see cref="IMemoryPoolFactory{T}"/>. Kestrel adds its own without checking for others, so ours has to
/// replace it; one registered by the application stays.
/// </summary>
internal static class MemoryPoolFactories
{
    private const string Framework = "Microsoft.AspNetCore.";

    /// <summary>Replaces the framework's factory, unless the application has registered one.</summary>
    /// <param name="services">The services.</param>
    /// <param name="choose">Creates the factory; receives the framework's factory function, if there is one.</param>
    public static void Replace(
        IServiceCollection services,
        Func<IServiceProvider, Func<IServiceProvider, IMemoryPoolFactory<byte>>?, IMemoryPoolFactory<byte>> choose)
    {
        var registered = services
            .Where(static service => service.ServiceType == typeof(IMemoryPoolFactory<byte>) && !service.IsKeyedService)
            .ToArray();
        if (Array.TrueForAll(registered, static service => IsOfTheFramework(AssemblyOf(service))))
        {
            Func<IServiceProvider, IMemoryPoolFactory<byte>>? framework = registered is [.., var last]
                ? provider => Activate(provider, last)
                : null;
            services.AddSingleton(provider => choose(provider, framework));
        }
    }

    /// <summary>Whether a factory belongs to ASP.NET Core.</summary>
    public static bool IsOfTheFramework(IMemoryPoolFactory<byte> factory) =>
        IsOfTheFramework(factory.GetType().Assembly.FullName);

    // Null if the runtime cannot find the assembly of a delegate: it may be the application's.
    private static string? AssemblyOf(ServiceDescriptor service) => service switch
    {
        { ImplementationFactory: { } factory } => DiagnosticMethodInfo.Create(factory)?.DeclaringAssemblyName,
        { ImplementationInstance: { } instance } => instance.GetType().Assembly.FullName,
        _ => service.ImplementationType?.Assembly.FullName,
    };

    private static bool IsOfTheFramework(string? assembly) =>
        assembly is not null && assembly.StartsWith(Framework, StringComparison.Ordinal);

    private static IMemoryPoolFactory<byte> Activate(IServiceProvider provider, ServiceDescriptor service) =>
        (IMemoryPoolFactory<byte>)(service.ImplementationInstance
            ?? service.ImplementationFactory?.Invoke(provider)
            ?? ActivatorUtilities.CreateInstance(provider, service.ImplementationType!));
}

/// <summary>
/// The factory passed to servers, ours or the framework's: chosen at the first request for a pool. A server is created before
/// settings are checked, and a wrong setting is to be reported together with the others.
/// </summary>
internal sealed class ServerMemoryPoolFactory(Func<IMemoryPoolFactory<byte>> choose) : IMemoryPoolFactory<byte>
{
    private readonly Lazy<IMemoryPoolFactory<byte>> _chosen = new(choose);

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => _chosen.Value.Create(options);
}
