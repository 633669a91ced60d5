using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.GuestProbe.Locality;

/// <summary>
/// Kestrel in this process as an application gets it, with its own sockets or with AddNuma. Its connections look where the pages
/// are that their bytes were received into. The node of their packets is in each byte.
/// </summary>
internal sealed class ReadingServer : IAsyncDisposable
{
    private const int Waves = 3;
    private const int ConnectionsPerCpu = 16;

    // One after the other on each connection, for which all others get theirs meanwhile.
    private static readonly int[] s_parts = [100, 10_000, 60_000];

    private readonly WebApplication _app;
    private readonly PageTally _atReader = new();
    private readonly PageTally _atPackets = new();
    private ListenOptions? _endPoint;

    private ReadingServer(bool hasNuma)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        if (hasNuma)
        {
            builder.AddNuma();
        }

        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, options =>
        {
            _endPoint = options;
            options.Run(ReadAsync);
        }));
        _app = builder.Build();
    }

    /// <summary>Has clients on every CPU at once send to it, in several waves of new connections.</summary>
    public static async Task<ReceivedPages> MeasureAsync(bool hasNuma, int[] cpus)
    {
        await using var server = new ReadingServer(hasNuma);
        await server._app.StartAsync();
        var clients = Array.ConvertAll(cpus, static cpu => new PinnedThread(cpu));
        for (var wave = 0; wave < Waves; wave++)
        {
            await Task.WhenAll(clients.Select(client => client.Start(() => server.SendFrom(client.Node))));
        }

        Array.ForEach(clients, static client => client.Dispose());
        var fallbacks = server._app.Services.GetService<NumaFallbacks>()?.Current ?? [];
        await server._app.StopAsync();
        return new ReceivedPages(server._atReader.Share, server._atPackets.Share, fallbacks);
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    // Blocks its thread, which stays on its CPU: over the loopback interface that is the CPU that receives the packets.
    private void SendFrom(int node)
    {
        var bytes = new byte[s_parts.Max()];
        Array.Fill(bytes, (byte)node);
        var sockets = Enumerable.Range(0, ConnectionsPerCpu).Select(_ => Connect()).ToArray();
        foreach (var length in s_parts)
        {
            Array.ForEach(sockets, socket => socket.Send(bytes, length, SocketFlags.None));
        }

        Array.ForEach(sockets, static socket => socket.Shutdown(SocketShutdown.Send));
        foreach (var socket in sockets)
        {
            // The server's end comes after it has looked.
            if (socket.Receive(bytes) != 0)
            {
                throw new InvalidOperationException("The server has sent something.");
            }

            socket.Dispose();
        }
    }

    private Socket Connect()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Connect(_endPoint!.IPEndPoint!);
        return socket;
    }

    private async Task ReadAsync(ConnectionContext connection)
    {
        var input = connection.Transport.Input;
        var isCompleted = false;
        while (!isCompleted)
        {
            var read = await input.ReadAsync();
            var reader = Place.OfThisThread();
            foreach (var part in read.Buffer)
            {
                LookAt(part, reader);
            }

            input.AdvanceTo(read.Buffer.End);
            isCompleted = read.IsCompleted;
        }
    }

    private unsafe void LookAt(ReadOnlyMemory<byte> part, int reader)
    {
        if (part.IsEmpty)
        {
            return;
        }

        using var pin = part.Pin();
        foreach (var page in Place.PagesOf((nint)pin.Pointer, part.Length))
        {
            var node = Place.OfPage(page);
            _atReader.Count(node == reader);
            _atPackets.Count(node == part.Span[0]);
        }
    }
}

/// <summary>The pages that connections were received into.</summary>
/// <param name="AtReader">Those on the node of the CPU that the handler ran on when it was given them.</param>
/// <param name="AtPackets">Those on the node of the CPU that received the packets.</param>
/// <param name="Fallbacks">What did not work as it should.</param>
internal sealed record ReceivedPages(LocalityShare AtReader, LocalityShare AtPackets, IReadOnlyList<NumaFallback> Fallbacks);
