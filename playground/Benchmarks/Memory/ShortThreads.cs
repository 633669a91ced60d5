using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>
/// Whether threads that end leave memory behind: what the allocator has taken from the system, before and after.
/// </summary>
internal static unsafe class ShortThreads
{
    private const int Threads = 2000;
    private const int Blocks = 50;
    private const int BlockBytes = 4096;
    private const double Limit = 1 << 20;

    public static Look<double> Create() => new(
        [LookRow<double>.Limit("2000 short threads", static bytes => bytes, Limit, "bytes", goal: 0)],
        static (_, cancellation) => Task.FromResult(Measure(cancellation)));

    private static double Measure(CancellationToken cancellation)
    {
        using var allocator = new NumaAllocator(NumaPlan.Create(NumaTopology.Instance));
        RunThread(allocator);
        var before = allocator.CommittedBytes;
        for (var i = 0; i < Threads; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            RunThread(allocator);
        }

        return allocator.CommittedBytes - before;
    }

    private static void RunThread(NumaAllocator allocator)
    {
        var thread = new Thread(() =>
        {
            var pointers = stackalloc byte*[Blocks];
            for (var i = 0; i < Blocks; i++)
            {
                pointers[i] = (byte*)allocator.Allocate(BlockBytes);
                *pointers[i] = 1;
            }

            for (var i = 0; i < Blocks; i++)
            {
                allocator.Free(pointers[i]);
            }
        });
        thread.Start();
        thread.Join();
    }
}
