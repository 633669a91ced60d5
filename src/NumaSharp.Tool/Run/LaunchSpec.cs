using System.Text;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>A launcher's input on stdin: everything but the command line's verb.</summary>
/// <param name="ParentId">The supervising process.</param>
/// <param name="Cpus">The CPUs to run on.</param>
/// <param name="MemoryNodeId">The node that provides the memory.</param>
/// <param name="Policy">The memory policy.</param>
/// <param name="Path">The program.</param>
/// <param name="Arguments">Its arguments, its name first.</param>
/// <param name="Environment">Its whole environment, NAME=VALUE.</param>
internal sealed record LaunchSpec(
    int ParentId,
    CpuSet Cpus,
    int MemoryNodeId,
    NodeMemoryPolicy Policy,
    string Path,
    IReadOnlyList<string> Arguments,
    IReadOnlyList<string> Environment)
{
    public void Write(Stream stream)
    {
        using var writer = new BinaryWriter(stream, Encoding.UTF8, leaveOpen: true);
        writer.Write(ParentId);
        writer.Write(Cpus.ToString());
        writer.Write(MemoryNodeId);
        writer.Write((int)Policy);
        writer.Write(Path);
        WriteAll(writer, Arguments);
        WriteAll(writer, Environment);
    }

    public static LaunchSpec Read(Stream stream)
    {
        using var reader = new BinaryReader(stream, Encoding.UTF8, leaveOpen: true);
        return new LaunchSpec(
            reader.ReadInt32(),
            CpuSet.ParseList(reader.ReadString()),
            reader.ReadInt32(),
            (NodeMemoryPolicy)reader.ReadInt32(),
            reader.ReadString(),
            ReadAll(reader),
            ReadAll(reader));
    }

    private static void WriteAll(BinaryWriter writer, IReadOnlyList<string> texts)
    {
        writer.Write(texts.Count);
        foreach (var text in texts)
        {
            writer.Write(text);
        }
    }

    private static string[] ReadAll(BinaryReader reader)
    {
        var texts = new string[reader.ReadInt32()];
        for (var i = 0; i < texts.Length; i++)
        {
            texts[i] = reader.ReadString();
        }

        return texts;
    }
}
