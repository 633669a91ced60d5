using System.Globalization;
using System.Text;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

/// <summary>
/// Claims one node for this process, for its lifetime. Copies of an application on one machine coordinate through file locks, one
/// file per node: a lock ends with its process, however that ends (flock(2); elsewhere an unshared file).
/// </summary>
internal sealed class NodeClaim(NumaFallbacks fallbacks) : IDisposable
{
    // How .NET reports a lock held by another process: ERROR_SHARING_VIOLATION, or EWOULDBLOCK of Linux and of macOS.
    private const int SharingViolation = unchecked((int)0x80070020);
    private const int LinuxWouldBlock = 11;
    private const int MacWouldBlock = 35;

    private FileStream? _held;

    /// <summary>Narrows a plan to the first of its unclaimed nodes, and to the memory of nodes without CPUs.</summary>
    /// <param name="plan">The plan; the result, if no node can be claimed.</param>
    /// <param name="folder">The folder with the files; created if missing.</param>
    public NumaPlan Narrow(NumaPlan plan, string folder)
    {
        try
        {
            Directory.CreateDirectory(folder);
            return TryNarrow(plan, folder);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return GiveUp(plan, folder, $"no node can be claimed: {exception.Message}");
        }
    }

    public void Dispose() => _held?.Dispose();

    private NumaPlan TryNarrow(NumaPlan plan, string folder)
    {
        var nodes = plan.Nodes;
        NumaNodeId[] working = [.. nodes.Where(static node => node.ServesItself).Select(static node => node.NodeId)];
        var mine = working.Cast<NumaNodeId?>().FirstOrDefault(id => TryTake(folder, id!.Value));
        if (_held is null)
        {
            return GiveUp(
                plan,
                folder,
                $"other processes have claimed all nodes, {CpuSet.FromIds(working.Select(static id => id.Value))}.");
        }

        var ids = nodes.Select(static node => node.NodeId).Where(id => id == mine || !working.Contains(id))
            .Select(static id => id.Value);
        return NumaPlan.TryCreate(
            plan.Topology, plan.Request with { Nodes = CpuSet.FromIds(ids) }, out var narrowed, out var problems)
            ? narrowed
            : GiveUp(plan, folder, $"other settings need more than one node: {string.Join(" ", problems)}");
    }

    private NumaPlan GiveUp(NumaPlan plan, string folder, string reason)
    {
        _held?.Dispose();
        _held = null;
        fallbacks.Report(new NumaFallback(
            FallbackCatalog.BindingClaim, $"Binding:Claims = '{folder}': all nodes are used: {reason}"));
        return plan;
    }

    private bool TryTake(string folder, NumaNodeId nodeId)
    {
        var path = Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"node{nodeId}"));
        try
        {
            _held = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, bufferSize: 0);
        }
        catch (IOException exception) when (exception.HResult is SharingViolation or LinuxWouldBlock or MacWouldBlock)
        {
            return false;
        }

        // Shows people which process holds it.
        _held.SetLength(0);
        _held.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Environment.ProcessId}\n")));
        return true;
    }
}
