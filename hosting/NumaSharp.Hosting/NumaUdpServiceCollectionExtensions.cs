using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Transport;
using NumaSharp.Udp;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Hosts datagram listeners.</summary>
public static class NumaUdpServiceCollectionExtensions
{
    private const DynamicallyAccessedMemberTypes Constructors = DynamicallyAccessedMemberTypes.PublicConstructors;

    /// <summary>
    /// Hosts a datagram listener, configured by the section <c>Numa:Udp:&lt;name&gt;</c>: it is bound when the host starts, and
    /// stops with it once queued datagrams are handled and replied to. Adds the NUMA services if they were not added.
    /// </summary>
    /// <typeparam name="THandler">
    /// Created once per shard, with services of the host in its constructor, and disposed when the listener has stopped. If a
    /// call hangs for five seconds, the shard continues with another instance.
    /// </typeparam>
    /// <param name="services">The services.</param>
    /// <param name="name">The section's name, which ignores case.</param>
    /// <param name="configure">
    /// Sets options after the section was read, which need not be there if this sets the port.
    /// </param>
    /// <returns>The builder of <c>AddNuma()</c>.</returns>
    public static INumaBuilder AddNumaUdp<[DynamicallyAccessedMembers(Constructors)] THandler>(
        this IServiceCollection services, string name, Action<NumaUdpListenerOptions>? configure = null)
        where THandler : class, IDatagramHandler
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        var numa = services.AddNuma();
        if (configure is not null)
        {
            numa.Configure(options => Configure(options, name, configure));
        }

        services.AddSingleton<IHostedService>(provider => new UdpListener<THandler>(
            name, provider, provider.GetRequiredService<NumaSection>(), provider.GetRequiredService<ILoggerFactory>()));
        return numa;
    }

    /// <inheritdoc
    /// cref="AddNumaUdp{THandler}(IServiceCollection, string, Action{NumaUdpListenerOptions}?)" path="/summary"/>
    /// <inheritdoc
    /// cref="AddNumaUdp{THandler}(IServiceCollection, string, Action{NumaUdpListenerOptions}?)" path="/typeparam"/>
    /// <param name="builder">The application's builder.</param>
    /// <param name="name">The section's name, which ignores case.</param>
    /// <param name="configure">
    /// Sets options after the section was read, which need not be there if this sets the port.
    /// </param>
    /// <inheritdoc
    /// cref="AddNumaUdp{THandler}(IServiceCollection, string, Action{NumaUdpListenerOptions}?)" path="/returns"/>
    public static INumaBuilder AddNumaUdp<[DynamicallyAccessedMembers(Constructors)] THandler>(
        this IHostApplicationBuilder builder, string name, Action<NumaUdpListenerOptions>? configure = null)
        where THandler : class, IDatagramHandler
    {
        ArgumentNullException.ThrowIfNull(builder);
        var numa = builder.AddNuma();
        builder.Services.AddNumaUdp<THandler>(name, configure);
        return numa;
    }

    private static void Configure(NumaOptions options, string name, Action<NumaUdpListenerOptions> configure)
    {
        if (options.Udp.TryGetValue(name, out var listener))
        {
            configure(listener);
            return;
        }

        // Without a port it is more likely that the section's name is wrong: the listener would be on a port that none knows.
        listener = new NumaUdpListenerOptions();
        configure(listener);
        if (listener.IsPortSet)
        {
            options.Udp.Add(name, listener);
        }
    }
}
