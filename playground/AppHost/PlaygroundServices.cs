using System.Globalization;
using System.Net.Sockets;
using Aspire.Hosting.ApplicationModel;

namespace NumaSharp.Playground.AppHost;

/// <summary>The playground's programs: on this machine one web app per node, published one for any machine.</summary>
internal static class PlaygroundServices
{
    private const string Http = "http";
    private const string Echo = "echo";
    private const string Dns = "dns";
    private const int EchoPort = 5007;
    private const int DnsPort = 5053;

    // One that a pod's node has beside others.
    private const int PodCpus = 4;
    private const long PodMemoryBytes = 2L << 30;

    public static void AddServicesOfThisMachine(this IDistributedApplicationBuilder builder)
    {
        var numa = builder.AddNumaTopology();
        // A second to each: the dashboard keeps ten thousand traces.
        var load = builder.AddProject<Projects.LoadGenerator>("load").WithEnvironment("Load__Rate", "5");
        var nodes = numa.Resource.Topology.Nodes.Where(static node => !node.Cpus.IsEmpty);
        foreach (var (index, node) in nodes.Index())
        {
            var id = node.NodeId.ToString(CultureInfo.InvariantCulture);
            var web = builder.AddWeb($"web-{id}", "127.0.0.1").WithNuma(id).WithNumaEndpoints();
            _ = load
                .WithEnvironment(string.Create(CultureInfo.InvariantCulture, $"Load__Web__{index}"), web.GetEndpoint(Http))
                .WaitFor(web);
        }

        var udp = builder.AddUdp();
        _ = load
            .WithEnvironment("Load__Udp", string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{EchoPort}"))
            .WaitFor(udp);
    }

    /// <summary>For Docker Compose, or with <c>--Target=kubernetes</c> for Kubernetes.</summary>
    public static void AddPublishedServices(this IDistributedApplicationBuilder builder)
    {
        if (string.Equals(builder.Configuration["Target"], "kubernetes", StringComparison.OrdinalIgnoreCase))
        {
            _ = builder.AddKubernetesEnvironment("kubernetes");
        }
        else
        {
            _ = builder.AddDockerComposeEnvironment("compose");
        }

        _ = builder.AddWeb("web", "*").WithNumaEndpoints().WithNuma(static numa =>
        {
            numa.Dispatch = NumaDispatchMode.Adaptive;
            numa.PodCpus = PodCpus;
            numa.PodMemoryBytes = PodMemoryBytes;
        });
        // Not of its own machine alone, as its appsettings.json says.
        _ = builder.AddUdp().WithNuma(static numa =>
        {
            numa.Settings["Udp:dns:Address"] = "*";
            numa.Settings["Udp:echo:Address"] = "*";
        });
    }

    // Its own addresses are in its appsettings.json, which counts more than what Aspire sets.
    private static IResourceBuilder<ProjectResource> AddWeb(
        this IDistributedApplicationBuilder builder, string name, string address)
    {
        var web = builder.AddProject<Projects.Web>(name, static options => options.ExcludeLaunchProfile = true)
            .WithHttpEndpoint(name: Http)
            .WithEnvironment("H2cUrl", "");
        var port = web.GetEndpoint(Http).Property(EndpointProperty.TargetPort);
        // Not as a reference, which the dashboard would show as one to itself.
        return web.WithEnvironment(context =>
            context.EnvironmentVariables["Urls"] = ReferenceExpression.Create($"http://{address}:{port}"));
    }

    // A browser cannot open it.
    private static void InDetailsOnly(ResourceUrlAnnotation url) => url.DisplayLocation = UrlDisplayLocation.DetailsOnly;

    // Not proxied: a proxy would answer for all clients with one address.
    private static IResourceBuilder<ProjectResource> AddUdp(this IDistributedApplicationBuilder builder) =>
        builder.AddProject<Projects.Udp>("udp", static options => options.ExcludeLaunchProfile = true)
            .WithEndpoint(EchoPort, EchoPort, name: Echo, isProxied: false, protocol: ProtocolType.Udp)
            .WithEndpoint(DnsPort, DnsPort, name: Dns, isProxied: false, protocol: ProtocolType.Udp)
            .WithUrlForEndpoint(Echo, InDetailsOnly)
            .WithUrlForEndpoint(Dns, InDetailsOnly)
            .WithNuma(static numa => numa.SchedulingPolicy = NumaSharp.Scheduling.NumaSchedulingPolicy.NodeStrict);
}
