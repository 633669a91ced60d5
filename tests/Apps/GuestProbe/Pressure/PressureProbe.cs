using System.Runtime.InteropServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.GuestProbe.Pressure;

/// <summary>
/// A host whose pools keep free memory, in a cgroup with a limit that another part of the process comes to. Nothing but the
/// pressure makes them give it back.
/// </summary>
internal static class PressureProbe
{
    /// <summary>
    /// The probe's argument: it ends when the pool has given half of its memory back, or, with <see cref="AllSteps"/>, when it
    /// has made all steps.
    /// </summary>
    public const string Argument = "--pressure";

    /// <inheritdoc cref="Argument"/>
    public const string AllSteps = "--all-steps";

    private const int MiB = 1 << 20;

    // Of the pools, then of the other part at most: the test's limit lies in between.
    private const long Kept = 96L * MiB;
    private const int MostSteps = 256;

    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(100);

    public static async Task<PressureReport> MeasureAsync(bool makesAllSteps)
    {
        var builder = Host.CreateApplicationBuilder(["--Numa:Memory:TrimAfter=0", "--Numa:Memory:KeepPerNode=1GiB"]);
        builder.Logging.ClearProviders();
        builder.AddNuma();
        using var host = builder.Build();
        await host.StartAsync();
        var pools = host.Services.GetRequiredService<NumaMemoryPools>();
        Fill(pools[0]);
        var before = pools[0].CommittedBytes;
        var steps = await UseAsync(taken => makesAllSteps ? taken == MostSteps : pools[0].CommittedBytes < before / 2);
        var after = pools[0].CommittedBytes;
        await host.StopAsync();
        return new PressureReport(before, after, steps);
    }

    private static void Fill(NumaMemoryPool pool)
    {
        var blocks = new Stack<NumaMemoryBlock>();
        while (pool.RentedBytes < Kept)
        {
            var block = pool.RentBlock();
            block.GetSpan().Fill(1);
            blocks.Push(block);
        }

        while (blocks.TryPop(out var block))
        {
            block.Dispose();
        }
    }

    private static async Task<int> UseAsync(Func<int, bool> isOver)
    {
        var memory = new Stack<nint>();
        while (!isOver(memory.Count))
        {
            if (memory.Count < MostSteps)
            {
                memory.Push(TakeAndTouch());
            }

            await Task.Delay(s_step);
        }

        var steps = memory.Count;
        while (memory.TryPop(out var address))
        {
            Free(address);
        }

        return steps;
    }

    private static unsafe nint TakeAndTouch()
    {
        var address = NativeMemory.Alloc(MiB);
        NativeMemory.Fill(address, MiB, 1);
        return (nint)address;
    }

    private static unsafe void Free(nint address) => NativeMemory.Free((void*)address);
}

/// <summary>What the probe has seen.</summary>
/// <param name="Before">The bytes that the pool of the first node had, all of them free.</param>
/// <param name="After">The bytes that it had when it had given back half, or when all steps were made.</param>
/// <param name="Steps">How many mebibytes the other part of the process had then.</param>
internal sealed record PressureReport(long Before, long After, int Steps);
