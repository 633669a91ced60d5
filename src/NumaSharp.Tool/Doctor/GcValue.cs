namespace NumaSharp.Tool.Doctor;

/// <summary>A setting of the garbage collector and where it was found.</summary>
internal sealed record GcValue<T>(T Value, Evidence Evidence);
