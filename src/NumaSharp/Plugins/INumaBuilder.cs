using System.Diagnostics.CodeAnalysis;
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

/// <summary>
/// Registers providers that configuration then selects by name. Names are case-insensitive and unique per kind, the built-in
/// <c>Linux</c> and <c>SingleNode</c> included: the start fails with an error if two providers have the same name.
/// </summary>
public static class NumaBuilderExtensions
{
    /// <summary>Makes a source of topologies available to <c>Numa:Topology:Provider</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="provider">The provider; the caller keeps ownership.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddTopologyProvider(this INumaBuilder builder, INumaTopologyProvider provider) =>
        AddInstance(builder, provider);

    /// <summary>Makes a source of topologies available to <c>Numa:Topology:Provider</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="factory">Creates the provider when the host starts; the container owns it.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddTopologyProvider(
        this INumaBuilder builder, Func<IServiceProvider, INumaTopologyProvider> factory) => AddFactory(builder, factory);

    /// <summary>Makes a source of memory available to <c>Numa:Memory:Provider</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="provider">The provider; the caller keeps ownership.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddMemoryProvider(this INumaBuilder builder, INumaMemoryProvider provider) =>
        AddInstance(builder, provider);

    /// <summary>Makes a source of memory available to <c>Numa:Memory:Provider</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="factory">Creates the provider when the host starts; the container owns it.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddMemoryProvider(
        this INumaBuilder builder, Func<IServiceProvider, INumaMemoryProvider> factory) => AddFactory(builder, factory);

    /// <summary>Makes a way of pinning threads available to <c>Numa:Affinity:Provider</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="provider">The provider; the caller keeps ownership.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddAffinityProvider(this INumaBuilder builder, INumaAffinityProvider provider) =>
        AddInstance(builder, provider);

    /// <summary>Makes a way of pinning threads available to <c>Numa:Affinity:Provider</c>.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="factory">Creates the provider when the host starts; the container owns it.</param>
    /// <returns>The builder.</returns>
    public static INumaBuilder AddAffinityProvider(
        this INumaBuilder builder, Func<IServiceProvider, INumaAffinityProvider> factory) => AddFactory(builder, factory);

    /// <summary>
    /// Claims a section of <c>Numa</c> for a plugin, which finds it as a <see cref="NumaPluginSettings"/> keyed by the name.
    /// Safe to call more than once.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <param name="section">The section's name below <c>Numa</c>, such as <c>Simulated</c>.</param>
    /// <returns>The builder.</returns>
    [Experimental(NumaDiagnostics.PluginContract)]
    public static INumaBuilder AddSettings(this INumaBuilder builder, string section)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(section);
        builder.Services.AddSingleton(new NumaPluginSection(section));
        return builder;
    }

    private static INumaBuilder AddInstance<T>(INumaBuilder builder, T provider)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(provider);
        builder.Services.AddSingleton(provider);
        return builder;
    }

    private static INumaBuilder AddFactory<T>(INumaBuilder builder, Func<IServiceProvider, T> factory)
        where T : class
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(factory);
        builder.Services.AddSingleton(factory);
        return builder;
    }
}

/// <summary>Declares that a section of <c>Numa</c> belongs to a plugin, so that its keys are not reported as unknown.</summary>
/// <param name="Name">The section's name below <c>Numa</c>, such as <c>Simulated</c>.</param>
internal sealed record NumaPluginSection(string Name);
