using System.Globalization;
using System.Text.Json;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>GET /where: where this request ran. What cannot be known is null.</summary>
internal static class WhereEndpoint
{
    public static async Task Handle(HttpContext context)
    {
        // Read before the first await: it is about the thread that the request was handed to.
        var known = NumaPlatform.Default.Affinity.GetCurrent(out var cpu, out var node).Succeeded;
        var thread = CurrentThreadId();
        context.Response.ContentType = "application/json";
        var json = new Utf8JsonWriter(context.Response.BodyWriter);
        await using (json)
        {
            json.WriteStartObject();
            WriteNumber(json, "node", known ? node.Value : null);
            WriteNumber(json, "cpu", known ? cpu : null);
            json.WriteNumber("thread", thread);
            var connection = context.Features.Get<INumaConnectionFeature>();
            WriteNumber(json, "loop", connection?.LoopIndex);
            WriteBuffer(json, connection?.ReceiveBufferAddress ?? 0);
            json.WriteEndObject();
        }
    }

    private static void WriteBuffer(Utf8JsonWriter json, nint address)
    {
        int? node = address != 0 && NumaPlatform.Default.Memory.QueryNode(address, out var found).Succeeded ? found?.Value : null;
        json.WriteStartObject("buffer");
        WriteNumber(json, "node", node);
        if (address != 0)
        {
            json.WriteString("address", string.Create(CultureInfo.InvariantCulture, $"0x{address:x}"));
        }
        else
        {
            json.WriteNull("address");
        }

        json.WriteEndObject();
    }

    private static void WriteNumber(Utf8JsonWriter json, string name, int? number)
    {
        if (number is { } value)
        {
            json.WriteNumber(name, value);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <summary>The kernel's thread id, for /proc/self/task/ID/status, which shows the CPUs it is pinned to.</summary>
    private static int CurrentThreadId()
    {
        var self = OperatingSystem.IsLinux() ? File.ResolveLinkTarget("/proc/thread-self", returnFinalTarget: false) : null;
        return self is null ? Environment.CurrentManagedThreadId : int.Parse(self.Name, CultureInfo.InvariantCulture);
    }
}
