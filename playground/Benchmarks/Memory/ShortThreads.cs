using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>
/// Whether threads that end leave memory behind: what the allocator has taken from the system, before and after.
/// </summary>
internal sealed unsafe class ShortThreads : IRowSource
{
    private const string Name = "2000 short threads";
    private const int Threads = 2000;
    private const int Blocks = 50;
    private const int BlockBytes = 4096;
    private const double Limit = 1 << 20;

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [(Name, new RowTarget(1, 0))];

    public IRowSource? Where(Func<string, bool> isWanted) => isWanted(Name) ? this : null;

    public Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        using var allocator = new NumaAllocator(NumaPlan.Create(NumaTopology.Instance));
        RunThread(allocator);
        var before = allocator.CommittedBytes;
        for (var i = 0; i < Threads; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            RunThread(allocator);
        }

        var grown = allocator.CommittedBytes - before;
        report(new MeasuredRow(BenchmarkRow.Limit(Name, grown, Limit, "bytes", goal: 0), null));
        return Task.CompletedTask;
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
