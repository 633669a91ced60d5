using System.Diagnostics;
using System.Runtime;
using System.Text.Json;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>
/// GET /memory: what the garbage collector has handed out so far, how many methods were compiled, and when that was.
/// POST /collect: the bytes that live after a full collection.
/// </summary>
internal static class MemoryEndpoint
{
    // A second collection takes what the finalizers of the first have released.
    private const int Collections = 2;

    public static async Task HandleAsync(HttpContext context)
    {
        // Read first: what the answer takes belongs to the time after it.
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var nanoseconds = (long)Stopwatch.GetElapsedTime(0).TotalNanoseconds;
        context.Response.ContentType = "application/json";
        var json = new Utf8JsonWriter(context.Response.BodyWriter);
        await using (json)
        {
            json.WriteStartObject();
            json.WriteNumber("allocated", allocated);
            json.WriteNumber("nanoseconds", nanoseconds);
            json.WriteNumber("compiled", JitInfo.GetCompiledMethodCount(currentThread: false));
            json.WriteEndObject();
        }
    }

    public static Task CollectAsync(HttpContext context)
    {
        for (var i = 0; i < Collections; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
            GC.WaitForPendingFinalizers();
        }

        return Reply.NumberAsync(context, GC.GetTotalMemory(forceFullCollection: false));
    }
}
