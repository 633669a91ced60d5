using System.Reflection;
using Microsoft.CodeAnalysis;

namespace NumaSharp.Analyzers;

/// <summary>The rules. docs/reference/analyzers.md has a section for each, under its id.</summary>
internal static class Rules
{
    // An editor opens it: an address, if the package was packed with one.
    private static readonly string s_page = typeof(Rules).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .FirstOrDefault(static metadata => metadata.Key == "Sources")?.Value + "docs/reference/analyzers.md#";

    public static readonly DiagnosticDescriptor ConfigureAwait = new(
        "NUMA0001",
        "ConfigureAwait leaves the node",
        "'{0}' leaves the node: what follows runs where the task ended, mostly on the thread pool",
        "Locality",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        "In a task of a NumaTaskScheduler, an await continues on the node unless it is configured not to.",
        s_page + "numa0001");

    public static readonly DiagnosticDescriptor ThreadPool = new(
        "NUMA0002",
        "Work for the thread pool leaves the node",
        "'{0}' queues its work to the thread pool, which runs it on any node",
        "Locality",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        "Code that runs on a node queues its work to the node with NumaTaskScheduler.RunOnNode or QueueOnNode.",
        s_page + "numa0002");

    public static readonly DiagnosticDescriptor UsedAfterReturn = new(
        "NUMA0003",
        "A block is used after its return",
        "'{0}' is {1} after its block was returned to the pool",
        "Correctness",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        "A returned block is rented again: its memory then belongs to other code.",
        s_page + "numa0003");

    public static readonly DiagnosticDescriptor NodePosition = new(
        "NUMA0004",
        "A node's position and its id are mixed up",
        "'{0}' is {1}, where {2} is expected",
        "Correctness",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        "A nodeIndex is a position in the list of nodes. A NumaNodeId is the kernel's id, and ids may have gaps.",
        s_page + "numa0004");

    public static readonly DiagnosticDescriptor BlockingCall = new(
        "NUMA0005",
        "A callback blocks its event loop",
        "'{0}' blocks the event loop that calls this method",
        "Blocking",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        "While a callback blocks, its loop serves no other socket.",
        s_page + "numa0005");
}
