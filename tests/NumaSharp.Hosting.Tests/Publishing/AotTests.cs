using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Publishing;

/// <summary>An application that is compiled ahead of time, and trimmed.</summary>
[Trait("tier", "deep")]
public sealed class AotTests
{
    [Fact]
    public async Task Publish_NativeAot_HasNoWarningsAndServes()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "It is published for Linux.");
        AheadOfTime.SkipUnlessThereIsALinker();
        using var folder = new TemporaryFolder();
        await PublishAsync(folder);

        var port = UdpPort();
        await using var app = await StartedApp.StartProgramAsync(
            Path.Combine(folder.PathOf("app"), "NumaSharp.AotApp"),
            StartedApp.AnyPort,
            $"--Numa:Udp:echo:Port={port}",
            "--Numa:Udp:echo:Address=127.0.0.1");
        using var client = new HttpClient { BaseAddress = app.Address };
        Assert.Equal("True 0", await client.GetStringAsync(new Uri("/work", UriKind.Relative)));
        Assert.Equal("Healthy", await client.GetStringAsync(new Uri("/health", UriKind.Relative)));
        var page = await client.GetStringAsync(new Uri("/numa", UriKind.Relative));
        Assert.Contains("<title>NUMA</title>", page, StringComparison.Ordinal);
        using var state = JsonDocument.Parse(await client.GetStringAsync(new Uri("/numa/state", UriKind.Relative)));
        Assert.True(state.RootElement.GetProperty("loops").GetArrayLength() > 0);
        Assert.Equal(7, await EchoAsync(port, new byte[7]));
        Assert.Contains("NumaSharp.Hosting[700]", app.Output, StringComparison.Ordinal);
    }

    private static async Task PublishAsync(TemporaryFolder folder)
    {
        // Outputs of its own: those of the repository are being tested.
        using var publish = Process.Start(new ProcessStartInfo(
            DotnetHost.Path,
            [
                "publish", Repository.PathOf("tests", "Apps", "AotApp"), "-c", "Release", "--use-current-runtime",
                "-p:PublishAot=true", "-p:RunAnalyzers=false", "--artifacts-path", folder.PathOf("artifacts"),
                "-o", folder.PathOf("app"), "--disable-build-servers",
            ])
        {
            RedirectStandardOutput = true,
        })!;
        var output = await publish.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await publish.WaitForExitAsync(TestContext.Current.CancellationToken);
        AheadOfTime.SkipIfAPackageIsMissing(output);
        Assert.True(publish.ExitCode == 0, output);
        Assert.DoesNotContain("warning", output, StringComparison.Ordinal);
    }

    private static async Task<int> EchoAsync(int port, byte[] datagram)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        await socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, port));
        await socket.SendAsync(datagram);
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        return await socket.ReceiveAsync(new byte[100], patience.Token);
    }

    // Taken, so free: nobody asks for one just now but this test.
    private static int UdpPort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
