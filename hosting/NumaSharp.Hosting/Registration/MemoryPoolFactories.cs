using System.Diagnostics;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;

namespace NumaSharp.Hosting.Registration;

/// <summary>
/// Who registered an <see cref="IMemoryPoolFactory{T}"/>. Kestrel adds its own without asking for others, so that ours has to
/// take its place; what the application registers stays.
/// </summary>
internal static class MemoryPoolFactories
{
    private const string Framework = "Microsoft.AspNetCore.";

    /// <summary>Takes the place of the framework's factory, unless the application has one.</summary>
    /// <param name="services">The services.</param>
    /// <param name="choose">Makes the factory; given what makes the framework's, if there is one.</param>
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

    /// <summary>Whether a factory is one of ASP.NET Core's own.</summary>
    public static bool IsOfTheFramework(IMemoryPoolFactory<byte> factory) =>
        IsOfTheFramework(factory.GetType().Assembly.FullName);

    // Null where the runtime cannot tell whose code a delegate is: it may be the application's.
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
