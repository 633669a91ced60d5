using NumaSharp.Core;
using NumaSharp.GuestProbe.Locality;

namespace NumaSharp.GuestProbe.ManagedHeap;

/// <summary>
/// Threads that stay on their CPUs allocate arrays, all at the same time, and look on which node each new one is. The right node
/// is the thread's.
/// </summary>
internal static class ManagedHeapProbe
{
    /// <summary>The probe's argument.</summary>
    public const string Argument = "--managed-heap";

    private const int ArrayLength = 4096;

    // 192 MiB for each thread: some collections. Emulated CPUs do not run evenly, so the threads wait for each other after each
    // round of 256 KiB.
    private const int Rounds = 768;
    private const int ArraysPerRound = 64;

    // What a thread has in use, so that some of it survives each collection.
    private const int Held = 256;

    // A look takes far longer than an allocation.
    private const int ArraysPerLook = 8;

    public static ManagedHeapReport Measure()
    {
        var threads = NumaTopology.Instance.AllowedCpus.Select(static cpu => new PinnedThread(cpu)).ToArray();
        var nodes = threads.GroupBy(static thread => thread.Node).ToArray();
        var report = new ManagedHeapReport(
            Allocate([.. nodes.Select(static node => node.First())]),
            Allocate(threads),
            Allocate([.. nodes[^1]]));
        Array.ForEach(threads, static thread => thread.Dispose());
        return report;
    }

    private static Dictionary<int, LocalityShare> Allocate(PinnedThread[] threads)
    {
        var tallies = threads.Select(static thread => thread.Node)
            .Distinct()
            .ToDictionary(static node => node, static _ => new PageTally());
        using var round = new Barrier(threads.Length);
        Task.WaitAll(Array.ConvertAll(threads, thread => thread.Start(() => Allocate(thread.Node, tallies[thread.Node], round))));
        return tallies.ToDictionary(static tally => tally.Key, static tally => tally.Value.Share);
    }

    private static void Allocate(int node, PageTally tally, Barrier round)
    {
        try
        {
            var held = new byte[Held][];
            for (var i = 0; i < Rounds * ArraysPerRound; i++)
            {
                if (i % ArraysPerRound == 0)
                {
                    round.SignalAndWait();
                }

                var array = held[i % Held] = new byte[ArrayLength];
                if (i % ArraysPerLook == 0)
                {
                    tally.Count(NodeOf(array) == node);
                }
            }
        }
        finally
        {
            // Nothing waits for a thread that has failed.
            round.RemoveParticipant();
        }
    }

    // Of the page with its middle. The collector has cleared it, and leaves it where it is for as long as this takes.
    private static unsafe int NodeOf(byte[] array)
    {
        fixed (byte* middle = &array[ArrayLength / 2])
        {
            return Place.OfPage(Place.PagesOf((nint)middle, 1).First());
        }
    }
}

/// <summary>How much of what threads allocate is on their node, by the node.</summary>
/// <param name="ThreadPerNode">While a thread on each node allocates.</param>
/// <param name="ThreadPerCpu">While a thread on each CPU does.</param>
/// <param name="OneNode">While a thread on each CPU of the last node does, and the others do nothing.</param>
internal sealed record ManagedHeapReport(
    IReadOnlyDictionary<int, LocalityShare> ThreadPerNode,
    IReadOnlyDictionary<int, LocalityShare> ThreadPerCpu,
    IReadOnlyDictionary<int, LocalityShare> OneNode);
