using NumaSharp.Core;
using NumaSharp.Plugins.Windows;

namespace NumaSharp.WindowsProbe;

/// <summary>Reserve, bind, commit, touch, ask, discard, release: on each node.</summary>
internal static class MemoryProbe
{
    private const int Alignment = 2 << 20;
    private const int Size = 2 * Alignment;

    public static Task Run(Checks checks)
    {
        var topology = new WindowsTopologyProvider().Read();
        var provider = new WindowsMemoryProvider();
        foreach (var node in topology.MemoryNodes)
        {
            Use(checks, topology, provider, node);
        }

        BindParts(checks, topology, provider);
        return Task.CompletedTask;
    }

    private static void Use(Checks checks, NumaTopology topology, WindowsMemoryProvider provider, int node)
    {
        var reserved = provider.Reserve(Size, Alignment, out var address);
        checks.That(reserved.Succeeded && address % Alignment == 0, $"{Size} bytes at a multiple of {Alignment}: {reserved}");
        if (!reserved.Succeeded)
        {
            return;
        }

        var strict = provider.Bind(address, Size, NumaPlacement.Bind(new(node)));
        checks.That(strict.Failure == NumaFailure.NotSupported, $"Windows promises no node: {strict}");
        var bound = provider.Bind(address, Size, NumaPlacement.Prefer(new(node)));
        checks.That(bound.Succeeded, $"node {node} can be preferred: {bound}");
        checks.That(provider.Commit(address, Size).Succeeded, "memory can be committed");
        checks.That(provider.QueryNode(address, out var untouched).Succeeded, "a page can be asked for before it is touched");
        checks.That(IsZero(address), "memory begins as zeros");
        Fill(address);
        var query = provider.QueryNode(address + Size - 1, out var nodeId);
        Console.WriteLine(
            $"node {node}: reserved {Size >> 20} MiB at {address:x}, preferred: {bound}, untouched on {NameOf(untouched)}, "
            + $"touched on {NameOf(nodeId)}: {query}");
        checks.That(
            query.Succeeded && nodeId is { } its && topology.FindNode(its) is not null, $"node {nodeId} of a page is a node");
        var again = provider.Bind(address, Size, NumaPlacement.Prefer(new(node)));
        checks.That(again.Succeeded, $"preferring the same node again changes nothing: {again}");
        checks.That(!IsZero(address), "and keeps what is there");
        checks.That(provider.Advise(address, Size, NumaMemoryAdvice.Discard).Succeeded, "memory can be discarded");
        checks.That(provider.Commit(address, Size).Succeeded && IsZero(address), "and is zeros when it is committed again");
        Release(checks, provider, address);
    }

    private static string NameOf(NumaNodeId? node) => node is { } its ? $"node {its}" : "no node";

    // Placeholders, where the system has them, take a node for each part; elsewhere parts are refused and stay usable.
    private static void BindParts(Checks checks, NumaTopology topology, WindowsMemoryProvider provider)
    {
        var node = topology.MemoryNodes.First;
        checks.That(provider.Reserve(Size, Alignment, out var address).Succeeded, "address space can be reserved");
        var bound = provider.Bind(address + Alignment, Alignment, NumaPlacement.Prefer(new(node)));
        Console.WriteLine($"a part of a reservation: {bound}");
        checks.That(bound.Succeeded || bound.Failure == NumaFailure.NotSupported, $"a part is bound or refused: {bound}");
        checks.That(provider.Commit(address, Size).Succeeded, "all of it can be committed");
        checks.That(IsZero(address), "all of it is zeros");
        Fill(address);
        Release(checks, provider, address);
    }

    private static void Release(Checks checks, WindowsMemoryProvider provider, nint address)
    {
        var released = provider.Release(address, Size);
        checks.That(released.Succeeded, $"memory can be released: {released}");
        var twice = provider.Release(address, Size);
        checks.That(twice.Failure == NumaFailure.InvalidArgument, $"but once: {twice}");
        var gone = provider.Commit(address, Size);
        checks.That(gone.Failure == NumaFailure.InvalidArgument, $"and is gone then: {gone}");
    }

    private static unsafe bool IsZero(nint address) => !new ReadOnlySpan<byte>((void*)address, Size).ContainsAnyExcept((byte)0);

    private static unsafe void Fill(nint address) => new Span<byte>((void*)address, Size).Fill(0xA5);
}
