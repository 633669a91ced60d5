using System.Net;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Hosting;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>What hosts leave to the process: nothing else runs meanwhile.</summary>
[Collection(nameof(RepeatedStarts))]
public sealed class RepeatedStartTests
{
    // What the hosts of a process share (timers, the outbox) begins at some time, and once; what each of them left would be more.
    private const int Starts = 8;

    [Fact]
    public async Task Host_StartedAndStoppedAgainAndAgain_LeavesNoThreadAndNoDescriptor()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Threads and descriptors are counted in /proc.");
        await StartAndStopAsync();
        var (threads, descriptors) = (OwnThreads().Length, Descriptors.Count());
        for (var i = 0; i < Starts; i++)
        {
            await StartAndStopAsync();
        }

        await Wait.UntilAsync(() => OwnThreads().Length < threads + Starts, static () => string.Join(", ", OwnThreads()));
        await Wait.UntilAsync(() => Descriptors.Count() < descriptors + Starts);
    }

    private static async Task StartAndStopAsync()
    {
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1);
        builder.AddNuma();
        await using var server = await WebServer.StartAsync(builder);
        byte[] sent = [1, 2, 3];
        Assert.Equal(sent, await server.EchoAsync(sent, HttpVersion.Version11));
        await server.StopAsync();
    }

    private static string[] OwnThreads() =>
    [
        .. Directory.GetDirectories("/proc/self/task").Select(NameOf)
            .Where(static name => name.StartsWith("numa", StringComparison.Ordinal)),
    ];

    private static string NameOf(string task)
    {
        try
        {
            return File.ReadAllText(Path.Join(task, "comm")).Trim();
        }
        catch (IOException)
        {
            // It has ended.
            return "";
        }
    }
}
