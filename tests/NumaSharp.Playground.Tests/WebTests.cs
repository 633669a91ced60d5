using System.Globalization;
using System.Net.Sockets;
using System.Text.Json;
using NumaSharp.Core;

namespace NumaSharp.Playground.Tests;

/// <summary>The main job, as a real process.</summary>
public sealed class WebTests
{
    private readonly SharedWeb _shared;

    public WebTests(SharedWeb shared)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The tests start the app with sh and stop it with a signal.");
        _shared = shared;
    }

    // What the package's targets write for a reference to the package; the playground imports them.
    [Fact]
    public void Runtime_HasAHeapOnEachCpu()
    {
        var file = Path.Combine(AppContext.BaseDirectory, "NumaSharp.Playground.Web.runtimeconfig.json");
        using var settings = JsonDocument.Parse(File.ReadAllText(file));
        var properties = settings.RootElement.GetProperty("runtimeOptions").GetProperty("configProperties");
        Assert.True(properties.GetProperty("System.GC.Server").GetBoolean());
        Assert.Equal(0, properties.GetProperty("System.GC.DynamicAdaptationMode").GetInt32());
    }

    [Fact]
    public async Task Start_WithUrls_ListensThereAloneAndEndsWithCode0()
    {
        await using var web = await Web.StartAsync();
        var address = web.Address;
        using var client = TestHttpClient.Create(address);

        Assert.Equal("pong", await client.GetStringAsync(new Uri("/ping", UriKind.Relative)));

        // A container that refuses to bind memory is reported there, too.
        var health = KernelMemory.BindRefusal is null ? "Healthy" : "Degraded";
        Assert.Equal(health, await client.GetStringAsync(new Uri("/health", UriKind.Relative)));
        Assert.Equal(0, await web.TerminateAsync());
    }

    [Theory]
    [InlineData("numa{0}-loop")]
    [InlineData("numa{0}-loop", "--Numa:Transport:Dispatch=Inline")]
    [InlineData("numa{0}-", "--Numa:Transport:Dispatch=Node")]
    public async Task Where_OnOurTransport_IsOneOfOurThreadsPinnedToItsNode(string threadName, params string[] arguments)
    {
        await using var web = await Web.StartAsync(arguments);
        using var client = TestHttpClient.Create(web.Address);
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri("/where", UriKind.Relative)));
        var thread = where.RootElement.GetProperty("thread").GetInt32().ToString(CultureInfo.InvariantCulture);
        var task = $"/proc/{web.Id}/task/{thread}";
        var nodeId = where.RootElement.GetProperty("node").GetInt32();
        var name = await File.ReadAllTextAsync($"{task}/comm");

        Assert.StartsWith(string.Format(CultureInfo.InvariantCulture, threadName, nodeId), name, StringComparison.Ordinal);
        Assert.True(where.RootElement.GetProperty("loop").GetInt32() >= 0);
        var bufferNode = where.RootElement.GetProperty("buffer").GetProperty("node");
        var node = NumaPlan.Create(NumaTopology.Instance).FindNode(new(nodeId))!;
        Assert.Equal(KernelMemory.QueryRefusal is null ? $"{node.MemoryNodeId}" : "null", bufferNode.GetRawText());
        Assert.Contains(CpusOf($"{task}/status"), node.LoopCpus.Concat(node.ThreadCpus));
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("http/protobuf")]
    public async Task Export_ToACollector_BringsTheMeter(string protocol)
    {
        await using var receiver = await OtlpReceiver.StartAsync(protocol);
        await using var web = await Web.StartAsync(
            $"--OTEL_EXPORTER_OTLP_ENDPOINT={receiver.Address}",
            $"--OTEL_EXPORTER_OTLP_PROTOCOL={protocol}",
            $"--OTEL_EXPORTER_OTLP_TIMEOUT={Wait.Limit.TotalMilliseconds}",
            "--OTEL_METRIC_EXPORT_INTERVAL=500");
        using var client = TestHttpClient.Create(web.Address);
        await client.GetStringAsync(new Uri("/ping", UriKind.Relative));

        // The export of the end has seconds, which a busy machine may need for something else.
        string[] expected =
            ["numasharp.transport.active_connections", "numasharp.node.count", "http.server.request.duration"];
        await Wait.UntilAsync(
            () => expected.All(receiver.Metrics.ContainsKey), () => string.Join(", ", receiver.Metrics.Keys));
        Assert.Equal(0, await web.TerminateAsync());
    }

    [Fact]
    public async Task Numa_OfTheServer_IsTheLivePage()
    {
        await using var web = await Web.StartAsync();
        using var client = TestHttpClient.Create(web.Address);
        var page = await client.GetStringAsync(new Uri("/numa", UriKind.Relative));
        Assert.Contains("<title>NUMA</title>", page, StringComparison.Ordinal);
        using var state = JsonDocument.Parse(await client.GetStringAsync(new Uri("/numa/state", UriKind.Relative)));

        Assert.Equal(1, state.RootElement.GetProperty("loops").EnumerateArray().Sum(static loop =>
            loop.GetProperty("connections").GetInt32()));
    }

    [Fact]
    public async Task Where_OnKestrelsSockets_HasNoLoop()
    {
        await using var web = await Web.StartAsync("--Numa:Transport:Enabled=false");
        using var client = TestHttpClient.Create(web.Address);
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri("/where", UriKind.Relative)));

        Assert.Equal(JsonValueKind.Null, where.RootElement.GetProperty("loop").ValueKind);
    }

    [Fact]
    public async Task Start_BadSettings_EndsWithCode1AndOneLineEach()
    {
        var result = await Web.RunAsync(StartedApp.AnyPort, "--Numa:Transport:Backlog=abc", "--HttpsUrl=nonsense");

        Assert.Equal(1, result.ExitCode);
        Assert.Equal(2, result.ErrorLines.Count);
        Assert.StartsWith("Numa:Transport:Backlog", result.ErrorLines[0], StringComparison.Ordinal);
        Assert.StartsWith("HttpsUrl", result.ErrorLines[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_CollectorThatIsNoAddress_EndsWithCode1AndNamesTheVariable()
    {
        var result = await Web.RunAsync(StartedApp.AnyPort, "--OTEL_EXPORTER_OTLP_ENDPOINT=nonsense");

        Assert.Equal(1, result.ExitCode);
        Assert.StartsWith(
            "OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense'", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_PortThatACopyHas_IsRefused()
    {
        var first = await _shared.GetAsync();
        var result = await Web.RunAsync($"--urls={first.Address}");

        Assert.Equal(1, result.ExitCode);
        Assert.Contains("address already in use", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData]
    [InlineData("--Numa:Transport:Enabled=false")]
    public async Task RawUrl_OnEitherTransport_EchoesUntilTheClientHasEnded(params string[] arguments)
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathOf("raw");
        await using var web = await Web.StartAsync([$"--RawUrl=http://unix:{path}", .. arguments]);
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
        await client.ConnectAsync(new UnixDomainSocketEndPoint(path));
        var answer = new byte[4];
        for (var i = 0; i < 3; i++)
        {
            client.Send("ping"u8);
            Assert.Equal(4, client.Receive(answer));
            Assert.Equal("ping"u8.ToArray(), answer);
        }

        client.Shutdown(SocketShutdown.Send);
        Assert.Equal(0, client.Receive(answer));
        Assert.Equal(0, await web.TerminateAsync());
    }

    [Theory]
    [InlineData]
    [InlineData("--Numa:Transport:Enabled=false")]
    public async Task RawUrl_PortInUse_IsRefusedByItsName(params string[] arguments)
    {
        var taken = (await _shared.GetAsync()).Address.GetLeftPart(UriPartial.Authority);
        var result = await Web.RunAsync([StartedApp.AnyPort, $"--RawUrl={taken}", .. arguments]);

        Assert.Equal(1, result.ExitCode);
        Assert.StartsWith(
            $"RawUrl: Failed to bind to address {taken}: ", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    // The runtime ends a process that cannot start a thread, which takes descriptors: connections must leave some.
    [Theory]
    [InlineData("Adaptive")]
    [InlineData("Inline")]
    [InlineData("ThreadPool")]
    public async Task Descriptors_TakenByClients_ServesAgainWhenTheyAreGone(string dispatch)
    {
        const int Limit = 500;

        // Each loop has descriptors of its own: with one for each of a hundred CPUs the app could not even start.
        await using var web = await Web.StartAsync(
            Limit, $"--Numa:Transport:Dispatch={dispatch}", "--Numa:Transport:LoopsPerNode=1");
        var address = web.Address;
        using var client = TestHttpClient.Create(address);
        Assert.Equal("pong", await client.GetStringAsync(new Uri("/ping", UriKind.Relative)));
        var crowd = Enumerable.Range(0, Limit).Select(_ => Connect(address)).ToList();
        await Wait.UntilAsync(
            () => web.Program.HasEnded || OpenDescriptors(web) >= Limit * 3 / 4,
            () => $"{OpenDescriptors(web)} are open in {web.Program}");
        crowd.ForEach(static socket => socket.Dispose());
        using var another = TestHttpClient.Create(address);
        Assert.Equal("pong", await another.GetStringAsync(new Uri("/ping", UriKind.Relative)));
        Assert.Equal(0, await web.TerminateAsync());
    }

    private static Socket Connect(Uri address)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(address.Host, address.Port);
        return socket;
    }

    private static int OpenDescriptors(StartedApp web) => Directory.GetFiles($"/proc/{web.Id}/fd").Length;

    private static CpuSet CpusOf(string statusFile)
    {
        const string Key = "Cpus_allowed_list:";
        var line = File.ReadLines(statusFile).Single(static line => line.StartsWith(Key, StringComparison.Ordinal));
        return CpuSet.ParseList(line.AsSpan(Key.Length));
    }
}
