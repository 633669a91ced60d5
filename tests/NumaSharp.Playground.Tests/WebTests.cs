using System.Globalization;
using System.Net.Sockets;
using System.Text.Json;
using NumaSharp.Core;

namespace NumaSharp.Playground.Tests;

/// <summary>The main job, as a real process.</summary>
public sealed class WebTests
{
    private const string AnyPort = "--urls http://127.0.0.1:0";

    public WebTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The tests start the app with sh and stop it with kill.");

    [Fact]
    public async Task Start_WithUrls_ListensThereAloneAndEndsWithCode0()
    {
        await using var web = await WebProcess.StartAsync(AnyPort);
        var address = Assert.Single(web.Addresses);
        using var client = new HttpClient { BaseAddress = address };

        Assert.Equal("pong", await client.GetStringAsync(new Uri("/ping", UriKind.Relative)));
        Assert.Equal("Healthy", await client.GetStringAsync(new Uri("/health", UriKind.Relative)));
        Assert.Equal(0, await web.TerminateAsync());
    }

    [Theory]
    [InlineData("", "numa{0}-loop")]
    [InlineData("--Numa:Transport:Dispatch=Inline", "numa{0}-loop")]
    [InlineData("--Numa:Transport:Dispatch=Node", "numa{0}-")]
    public async Task Where_OnOurTransport_IsOneOfOurThreadsPinnedToItsNode(string arguments, string threadName)
    {
        await using var web = await WebProcess.StartAsync($"{AnyPort} {arguments}");
        using var client = new HttpClient { BaseAddress = Assert.Single(web.Addresses) };
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri("/where", UriKind.Relative)));
        var thread = where.RootElement.GetProperty("thread").GetInt32().ToString(CultureInfo.InvariantCulture);
        var task = $"/proc/{web.Id}/task/{thread}";
        var nodeId = where.RootElement.GetProperty("node").GetInt32();
        var name = await File.ReadAllTextAsync($"{task}/comm");

        Assert.StartsWith(string.Format(CultureInfo.InvariantCulture, threadName, nodeId), name, StringComparison.Ordinal);
        Assert.True(where.RootElement.GetProperty("loop").GetInt32() >= 0);
        Assert.Equal(nodeId, where.RootElement.GetProperty("buffer").GetProperty("node").GetInt32());
        Assert.Equal(NumaTopology.Instance.FindNode(nodeId)!.Cpus, CpusOf($"{task}/status"));
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("http/protobuf")]
    public async Task Export_ToACollector_BringsTheMeter(string protocol)
    {
        await using var receiver = await OtlpReceiver.StartAsync(protocol);
        await using var web = await WebProcess.StartAsync(
            $"{AnyPort} --OTEL_EXPORTER_OTLP_ENDPOINT={receiver.Address} --OTEL_EXPORTER_OTLP_PROTOCOL={protocol}");
        using var client = new HttpClient { BaseAddress = Assert.Single(web.Addresses) };
        await client.GetStringAsync(new Uri("/ping", UriKind.Relative));

        // The last export is that of the end.
        Assert.Equal(0, await web.TerminateAsync());
        Assert.Contains("numasharp.transport.active_connections", receiver.Metrics.Keys);
        Assert.Contains("numasharp.node.count", receiver.Metrics.Keys);
        Assert.Contains("http.server.request.duration", receiver.Metrics.Keys);
    }

    [Fact]
    public async Task Numa_OfTheServer_IsTheLivePage()
    {
        await using var web = await WebProcess.StartAsync(AnyPort);
        using var client = new HttpClient { BaseAddress = Assert.Single(web.Addresses) };
        var page = await client.GetStringAsync(new Uri("/numa", UriKind.Relative));
        Assert.Contains("<title>NUMA</title>", page, StringComparison.Ordinal);
        using var state = JsonDocument.Parse(await client.GetStringAsync(new Uri("/numa/state", UriKind.Relative)));

        Assert.Equal(1, state.RootElement.GetProperty("loops").EnumerateArray().Sum(static loop =>
            loop.GetProperty("connections").GetInt32()));
    }

    [Fact]
    public async Task Where_OnKestrelsSockets_HasNoLoop()
    {
        await using var web = await WebProcess.StartAsync($"{AnyPort} --Numa:Transport:Enabled=false");
        using var client = new HttpClient { BaseAddress = Assert.Single(web.Addresses) };
        using var where = JsonDocument.Parse(await client.GetStringAsync(new Uri("/where", UriKind.Relative)));

        Assert.Equal(JsonValueKind.Null, where.RootElement.GetProperty("loop").ValueKind);
    }

    [Fact]
    public async Task Start_BadSettings_EndsWithCode1AndOneLineEach()
    {
        var (exitCode, errors) = await WebProcess.RunAsync($"{AnyPort} --Numa:Transport:Backlog=abc --HttpsUrl=nonsense");

        Assert.Equal(1, exitCode);
        Assert.Equal(2, errors.Length);
        Assert.StartsWith("Numa:Transport:Backlog", errors[0], StringComparison.Ordinal);
        Assert.StartsWith("HttpsUrl", errors[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_CollectorThatIsNoAddress_EndsWithCode1AndNamesTheVariable()
    {
        var (exitCode, errors) = await WebProcess.RunAsync($"{AnyPort} --OTEL_EXPORTER_OTLP_ENDPOINT=nonsense");

        Assert.Equal(1, exitCode);
        Assert.StartsWith("OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense'", Assert.Single(errors), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_PortThatACopyHas_IsRefused()
    {
        await using var first = await WebProcess.StartAsync(AnyPort);
        var (exitCode, errors) = await WebProcess.RunAsync($"--urls {Assert.Single(first.Addresses)}");

        Assert.Equal(1, exitCode);
        Assert.Contains("address already in use", Assert.Single(errors), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("--Numa:Transport:Enabled=false")]
    public async Task RawUrl_OnEitherTransport_EchoesUntilTheClientHasEnded(string arguments)
    {
        var path = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"));
        await using var web = await WebProcess.StartAsync($"{AnyPort} --RawUrl=http://unix:{path} {arguments}");
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.ReceiveTimeout = 60_000;
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
    [InlineData("")]
    [InlineData("--Numa:Transport:Enabled=false")]
    public async Task RawUrl_PortThatSomebodyHas_IsRefusedByItsName(string arguments)
    {
        await using var first = await WebProcess.StartAsync(AnyPort);
        var taken = Assert.Single(first.Addresses).GetLeftPart(UriPartial.Authority);
        var (exitCode, errors) = await WebProcess.RunAsync($"{AnyPort} --RawUrl={taken} {arguments}");

        Assert.Equal(1, exitCode);
        Assert.StartsWith($"RawUrl: Failed to bind to address {taken}: ", Assert.Single(errors), StringComparison.Ordinal);
    }

    // The runtime ends a process that cannot start a thread, which takes descriptors: connections must leave some.
    [Theory]
    [InlineData("Adaptive")]
    [InlineData("Inline")]
    [InlineData("ThreadPool")]
    public async Task Descriptors_TakenByClients_ServesAgainWhenTheyAreGone(string dispatch)
    {
        const int Limit = 500;
        await using var web = await WebProcess.StartAsync($"{AnyPort} --Numa:Transport:Dispatch={dispatch}", Limit);
        var address = Assert.Single(web.Addresses);
        using var client = new HttpClient { BaseAddress = address };
        Assert.Equal("pong", await client.GetStringAsync(new Uri("/ping", UriKind.Relative)));
        var crowd = Enumerable.Range(0, Limit).Select(_ => Connect(address)).ToList();
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (web.IsRunning && OpenDescriptors(web) < Limit * 3 / 4)
        {
            patience.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }

        crowd.ForEach(static socket => socket.Dispose());
        using var another = new HttpClient { BaseAddress = address };
        Assert.Equal("pong", await another.GetStringAsync(new Uri("/ping", UriKind.Relative)));
        Assert.Equal(0, await web.TerminateAsync());
    }

    private static Socket Connect(Uri address)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(address.Host, address.Port);
        return socket;
    }

    private static int OpenDescriptors(WebProcess web) => Directory.GetFiles($"/proc/{web.Id}/fd").Length;

    private static CpuSet CpusOf(string statusFile)
    {
        const string Key = "Cpus_allowed_list:";
        var line = File.ReadLines(statusFile).Single(static line => line.StartsWith(Key, StringComparison.Ordinal));
        return CpuSet.ParseList(line.AsSpan(Key.Length));
    }
}
