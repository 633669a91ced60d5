using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace NumaSharp.Hosting.Tests.Publishing;

/// <summary>An application that is compiled ahead of time, and trimmed.</summary>
public sealed class AotTests
{
    [Fact]
    [Trait("tier", "deep")]
    public async Task Publish_NativeAot_HasNoWarningsAndServes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "It is published for Linux.");
        AheadOfTime.SkipUnlessThereIsALinker();
        TemporaryFolder.SkipUnlessProgramsRun();
        using var folder = new TemporaryFolder();
        await PublishAsync(folder);

        await using var app = await StartedApp.StartAsync(new ProcessStartInfo(
            Path.Combine(folder.PathOf("app"), "NumaSharp.AotApp"),
            [StartedApp.AnyPort, "--Numa:Udp:echo:Port=0", "--Numa:Udp:echo:Address=127.0.0.1"]));
        using var client = TestHttpClient.Create(app.Address);
        Assert.Equal("True 0", await client.GetStringAsync(new Uri("/work", UriKind.Relative)));
        var health = KernelMemory.BindRefusal is null ? "Healthy" : "Degraded";
        Assert.Equal(health, await client.GetStringAsync(new Uri("/health", UriKind.Relative)));
        var page = await client.GetStringAsync(new Uri("/numa", UriKind.Relative));
        Assert.Contains("<title>NUMA</title>", page, StringComparison.Ordinal);
        using var state = JsonDocument.Parse(await client.GetStringAsync(new Uri("/numa/state", UriKind.Relative)));
        Assert.True(state.RootElement.GetProperty("loops").GetArrayLength() > 0);
        var port = await client.GetStringAsync(new Uri("/datagrams", UriKind.Relative));
        Assert.Equal(7, await EchoAsync(int.Parse(port, CultureInfo.InvariantCulture), new byte[7]));
        Assert.Contains("NumaSharp.Hosting[700]", app.Program.Output, StringComparison.Ordinal);
    }

    private static async Task PublishAsync(TemporaryFolder folder)
    {
        // Outputs of its own: those of the repository are being tested.
        var publish = await ExternalProgram.TryAsync(
            DotnetHost.Path,
            TimeSpan.FromMinutes(10),
            "publish", Repository.PathOf("tests", "Apps", "AotApp"), "-c", "Release", "--use-current-runtime",
            "-p:PublishAot=true", "-p:RunAnalyzers=false", "--artifacts-path", folder.PathOf("artifacts"),
            "-o", folder.PathOf("app"), "--disable-build-servers");
        AheadOfTime.SkipIfAPackageIsMissing(publish.Output);
        Assert.True(publish.Succeeded, $"{publish}");
        Assert.DoesNotContain("warning", publish.Output, StringComparison.Ordinal);
    }

    private static async Task<int> EchoAsync(int port, byte[] datagram)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        await socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, port));
        await socket.SendAsync(datagram);
        return await socket.ReceiveAsync(new byte[100], TestContext.Current.CancellationToken).Within();
    }
}
