using System.Buffers;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>What docs/guide/migrating.md shows is compiled, and does what it says.</summary>
public sealed class MigrationGuideTests
{
    private int _processed;

    [Fact]
    public void Samples_AllOfThem_AreLinesOfThisFile() =>
        GuideSamples.AssertCompiled("migrating.md", 2, 8, "tests", "NumaSharp.Hosting.Tests", "Docs");

    [Fact]
    public async Task Samples_InOneApplication_ServeOnANode()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var builder = WebApplication.CreateBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");

        using NumaTaskScheduler scheduler = new(NumaSchedulingPolicy.LocalityFirst);
        await scheduler.RunOnNode(nodeIndex: 0, () => ProcessNodeLocalData());

        using NumaMemoryPool pool = new(numaNodeId: 0, blockSize: 4096);
        using IMemoryOwner<byte> buffer = pool.Rent();

        builder.WebHost.UseNumaSharpTransport(new EpollTransportFactory(scheduler));
        await using var app = builder.Build();

        app.MapGet("/connection", (HttpContext context) =>
            context.Features.Get<INumaConnectionFeature>() is { } connection
                ? $"node {connection.NodeId}, loop {connection.LoopIndex}"
                : "Kestrel's own transport");
        await app.StartAsync();

        using var client = TestHttpClient.Create();
        Assert.Matches("^node [0-9]+, loop [0-9]+$", await client.GetStringAsync(new Uri($"{app.Urls.Single()}/connection")));
        Assert.True(buffer.Memory.Length >= 4096);
        Assert.Equal(1, _processed);
    }

    private void ProcessNodeLocalData() => Interlocked.Increment(ref _processed);
}
