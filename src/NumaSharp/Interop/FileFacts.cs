namespace NumaSharp.Interop;

/// <summary>What a file is.</summary>
/// <param name="IsRegular">Whether it is a file proper: no folder, FIFO, socket or device.</param>
/// <param name="IsFolder">Whether it is a folder.</param>
/// <param name="User">Who owns it.</param>
internal readonly record struct FileFacts(bool IsRegular, bool IsFolder, uint User);
